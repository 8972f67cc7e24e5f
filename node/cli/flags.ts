/**
 * The flag table: the option rows of all rooms, in the order of help. The command line, the environment, the settings
 * file, help, completion and docs/flags.md are read from it. Names, aliases and defaults are those of the Klaytn and
 * Kaia Go nodes (`cmd/utils/flags.go@v2.2.2`), so that their scripts and settings files work.
 */
import { accountOptions, blsKeyOptions, keyFileOptions, keystoreOptions } from "../accounts/options.ts";
import { auctionOptions } from "../auction/options.ts";
import { callLimitOptions, logSearchOptions, receiptWaitOptions, traceOptions } from "../calls/options.ts";
import { developmentOptions, exportOptions, followerOptions } from "../chain/options.ts";
import { backupOptions, bootstrapOptions, checkpointOptions, pullOptions } from "../checkpoint/options.ts";
import { profileOptions } from "../compat/options.ts";
import { memoryLimitOptions } from "../compose/memory-options.ts";
import { publicNetworkOptions } from "../compose/options.ts";
import { placeOptions } from "../compose/paths.ts";
import { consensusOptions } from "../consensus/options.ts";
import { consoleOptions } from "../console/options.ts";
import { gaslessOptions } from "../gasless/options.ts";
import { goImportOptions } from "../go-data/options.ts";
import { ethOptions, responseOptions } from "../jsonrpc/options.ts";
import {
  addressBookOptions,
  baseFeeOptions,
  chainOptions,
  contractOptions,
  forkOptions,
  governanceOptions,
  istanbulOptions,
  kindOptions,
  rewardOptions,
} from "../network-maker/genesis-options.ts";
import { keyOptions, outputOptions, sizeOptions } from "../network-maker/options.ts";
import { diskOptions, logFileOptions, logOptions } from "../observe/options.ts";
import { createFlagTable, type FlagTable } from "../options/flag-table.ts";
import {
  bootOptions,
  discoveryOptions,
  identityOptions,
  nodeAddressOptions,
  nodeKeyOptions,
  peerOptions,
} from "../p2p/options.ts";
import { resendOptions } from "../protocol/options.ts";
import { historyOptions, trieOptions } from "../state/options.ts";
import { storeOptions } from "../store/options.ts";
import {
  httpOptions,
  ipcOptions,
  metricsOptions,
  requestOptions,
  serverOptions,
  wsOptions,
} from "../transport/options.ts";
import { poolOptions } from "../txpool/options.ts";
import { callingOptions, decodeOptions, settingsOptions, versionOptions } from "./options.ts";

// help shows flags of several rooms under one heading, in an order of its own
const { lifetimeMs, ...pool } = poolOptions;

/** All flags. */
export const flags: FlagTable = createFlagTable([
  developmentOptions,
  exportOptions,
  goImportOptions,
  checkpointOptions,
  pullOptions,
  backupOptions,
  bootstrapOptions,
  decodeOptions,
  publicNetworkOptions,
  versionOptions,
  callingOptions,
  consoleOptions,
  settingsOptions,
  placeOptions,
  keystoreOptions,
  identityOptions,
  memoryLimitOptions,
  keyFileOptions,
  nodeKeyOptions,
  nodeAddressOptions,
  blsKeyOptions,
  peerOptions,
  discoveryOptions,
  bootOptions,
  sizeOptions,
  keyOptions,
  outputOptions,
  kindOptions,
  chainOptions,
  governanceOptions,
  rewardOptions,
  baseFeeOptions,
  istanbulOptions,
  forkOptions,
  contractOptions,
  addressBookOptions,
  httpOptions,
  wsOptions,
  ipcOptions,
  profileOptions,
  requestOptions,
  responseOptions,
  traceOptions,
  ethOptions,
  serverOptions,
  logSearchOptions,
  callLimitOptions,
  receiptWaitOptions,
  accountOptions,
  pool,
  resendOptions,
  { lifetimeMs },
  historyOptions,
  followerOptions,
  trieOptions,
  storeOptions,
  diskOptions,
  consensusOptions,
  auctionOptions,
  gaslessOptions,
  metricsOptions,
  logOptions,
  logFileOptions,
]);
