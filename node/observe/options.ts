/** Options of the log and of the watch over the disk. */
import {
  booleanKind,
  choice,
  DAY_MS,
  daysKind,
  integerKind,
  type Kind,
  MEBIBYTE,
  mebibytesKind,
  path,
} from "../options/kinds.ts";
import { DATA, NODE, optionGroup, type ValuesOf } from "../options/rows.ts";

const state = optionGroup("State and database", NODE);
const log = optionGroup("Log", [...DATA, "bootnode"]);
const logFile = optionGroup("Log", NODE);

/** Rows of the disk: free space below which no blocks are written. */
export const diskOptions = {
  minBytes: state({
    flag: "db.min-free",
    kind: mebibytesKind(0),
    default: 128 * MEBIBYTE,
    summary: "free disk space in MiB required for writing blocks or exports",
    own: true,
  }),
};

/** Free space below which no blocks are written. */
export type DiskOptions = ValuesOf<typeof diskOptions>;

const LEVELS = ["silent", "error", "warn", "info", "debug"] as const;

/** Level of the log as the verbosity of the Go node; 5 is its trace, which is debug here. */
const verbosityKind: Kind<(typeof LEVELS)[number]> = {
  hint: "N",
  parse: (value) => LEVELS[integerKind(0, 5).parse(value)] ?? "debug",
  format: (level: (typeof LEVELS)[number]) => String(LEVELS.indexOf(level)),
};

/** Rows of the log. */
export const logOptions = {
  level: log({
    flag: "verbosity",
    kind: verbosityKind,
    default: "info",
    summary: "0 silent, 1 error, 2 warn, 3 info, 4 and 5 debug",
    aliases: ["debug-profile.verbosity"],
  }),
  format: log({
    flag: "log.format",
    kind: choice(["terminal", "logfmt", "json"]),
    default: "terminal",
    summary: "format of log lines",
    variable: "LOGFORMAT",
  }),
};

/** Level of the log and format of its lines. */
export type LogOptions = ValuesOf<typeof logOptions>;

/** Rows of the log file. */
export const logFileOptions = {
  path: logFile({
    flag: "log.file",
    kind: path,
    summary: "write the log to this file, too",
    variable: "LOGFILE",
  }),
  isRotated: logFile({
    flag: "log.rotate",
    kind: booleanKind,
    default: false,
    summary: "rotate the log file",
    variable: "LOGROTATE",
  }),
  maxBytes: logFile({
    flag: "log.maxsize",
    kind: mebibytesKind(1),
    default: 100 * MEBIBYTE,
    summary: "size in MiB at which the log file is rotated",
    variable: "LOGMAXSIZE",
  }),
  maxFiles: logFile({
    flag: "log.maxbackups",
    kind: integerKind(0),
    default: 10,
    summary: "maximum number of rotated log files; 0 for all",
    variable: "LOGMAXBACKUPS",
    properties: ["LOG_MAXBACKUPS"],
  }),
  maxAgeMs: logFile({
    flag: "log.maxage",
    kind: daysKind,
    default: 30 * DAY_MS,
    summary: "days until a rotated log file is deleted; 0 for never",
    variable: "LOGMAXAGE",
  }),
  compress: logFile({
    flag: "log.compress",
    kind: booleanKind,
    default: false,
    summary: "compress rotated log files with gzip",
    variable: "LOGCOMPRESS",
  }),
};
