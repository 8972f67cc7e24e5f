/** Answers that the two lines of the Go node share, Klaytn (version 1) and Kaia (version 2). */
import type { WalletAccount } from "../accounts/accounts.ts";
import { AccountsError } from "../accounts/error.ts";
import { blockNumber } from "../calls/arguments/block-number.ts";
import { address, data } from "../jsonrpc/codecs/hex.ts";
import { text } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { goJson } from "../jsonrpc/json-text.ts";
import { P2pError } from "../p2p/error.ts";
import { formatNodeUrl, parseNodeUrl } from "../p2p/node-url.ts";
import { walletAccountJson, walletAccountSchema } from "../rpc/personal-wallets.ts";
import {
  type AdapterRow,
  around,
  mapAnswer,
  omitKeys,
  onError,
  renameKeys,
  withParameters,
  withResult,
} from "./adapters.ts";

interface NodeInfo {
  readonly kni: string;
  readonly protocols: { readonly istanbul: { readonly config: object } };
}

interface Peer {
  readonly protocols: Readonly<Record<string, unknown>>;
}

/** The rows of both lines. */
export const goRows: readonly AdapterRow[] = [
  {
    methods: ["admin_nodeInfo"],
    difference:
      "The total block score is `blockscore`; no `config.isBFT`, no `discport` that equals the port.",
    adapt: mapAnswer((info: NodeInfo) => {
      const { istanbul } = info.protocols;
      const config = omitKeys(istanbul.config, ["isBFT"]);
      return {
        ...info,
        kni: formatNodeUrl(parseNodeUrl(info.kni), "when-different"),
        protocols: { istanbul: { ...withBlockscore(istanbul), config } },
      };
    }),
  },
  {
    methods: ["admin_peers"],
    difference:
      "The total block score is `blockscore`, and a peer with one connection has a list `networks` too.",
    adapt: mapAnswer((peers: readonly Peer[]) => peers.map(peerJson)),
  },
  {
    methods: ["admin_addPeer", "admin_removePeer"],
    difference: "An invalid URL is an error.",
    adapt: around((next, args, context) => {
      checkUrl(String(args["url"]));
      return next(args, context);
    }),
  },
  {
    methods: ["admin_removePeer", "personal_lockAccount", "net_listening"],
    difference: "The answer is always true.",
    adapt: mapAnswer(() => true),
  },
  {
    methods: ["net_networkID"],
    difference: "The answer is a number.",
    adapt: mapAnswer((id: string) => Number(id)),
  },
  {
    methods: ["personal_newAccount"],
    difference: "The passphrase is required.",
    adapt: withParameters({ passphrase: text }),
  },
  {
    methods: ["personal_sign"],
    difference: "The passphrase is required.",
    adapt: withParameters({ message: data, address, passphrase: text }),
  },
  {
    methods: ["chain_recoverFromMessage"],
    difference: "The block is required.",
    adapt: withParameters({ address, data, signature: data, block: blockNumber }),
  },
  {
    methods: ["personal_openWallet", "personal_deriveAccount"],
    difference: "The URL of a USB wallet is an unknown wallet.",
    adapt: onError((error) => {
      throw error instanceof AccountsError && error.code === "usb-wallet" ? failure("unknown wallet") : error;
    }),
  },
  {
    methods: ["personal_deriveAccount"],
    difference: "The answer is an address and a URL.",
    adapt: withResult<WalletAccount>({
      label: "account",
      schema: walletAccountSchema,
      encode: (account) => goJson(walletAccountJson(account)),
    }),
  },
  {
    methods: ["debug_traceBlockByNumber", "debug_traceBlockByHash", "debug_traceBadBlock"],
    difference: "Tracers written by callers are refused.",
    adapt: around((next, args, context) => next(args, { ...context, refusesPrograms: true })),
  },
];

function peerJson(peer: Peer): object {
  const { protocols, ...shown } = peer;
  const entries = Object.entries(shown).map(([key, value]) =>
    key === "network" ? ["networks", [value]] : [key, value],
  );
  return {
    ...Object.fromEntries(entries),
    protocols: Object.fromEntries(
      Object.entries(protocols).map(([name, facts]) => [
        name,
        typeof facts === "object" && facts !== null ? withBlockscore(facts) : facts,
      ]),
    ),
  };
}

function withBlockscore(facts: object): Record<string, unknown> {
  return renameKeys(facts, { difficulty: "blockscore" });
}

function checkUrl(url: string): void {
  try {
    parseNodeUrl(url);
  } catch (error) {
    if (error instanceof P2pError) throw failure(`invalid kni: ${error.message}`);
    throw error;
  }
}
