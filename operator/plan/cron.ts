/** Schedules in the five fields of crontab(5), in UTC, numbers only. */

/** A parsed schedule. */
export interface Cron {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  /** True for a day of the schedule. */
  readonly isDay: (dayOfMonth: number, dayOfWeek: number) => boolean;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Maximum number of days to a match: 29 February around 2100. */
const MAX_DAYS = 8 * 366 + 1;

const LIMITS = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
] as const;

/** Parses a schedule; undefined when it is invalid. */
export function parseCron(text: string): Cron | undefined {
  const fields = text.split(" ");
  if (fields.length !== LIMITS.length) return undefined;
  const [minutes, hours, days, months, weekdays] = LIMITS.map(([least, most], index) =>
    readField(fields[index] ?? "", least, most),
  );
  if (!minutes || !hours || !days || !months || !weekdays) return undefined;
  if (weekdays.has(7)) weekdays.add(0);
  // When both are restricted, a day that fits either will do.
  const either = [fields[2], fields[4]].every((field) => !field?.startsWith("*"));
  const isDay = (ofMonth: number, ofWeek: number): boolean => {
    const [fitsMonth, fitsWeek] = [days.has(ofMonth), weekdays.has(ofWeek)];
    return either ? fitsMonth || fitsWeek : fitsMonth && fitsWeek;
  };
  return { minutes, hours, months, isDay };
}

/** Returns the first time after `after`, milliseconds since the epoch; undefined when there is none. */
export function nextTick(cron: Cron, after: number): number | undefined {
  const from = Math.floor(after / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
  const firstDay = Math.floor(from / DAY_MS) * DAY_MS;
  for (let days = 0; days < MAX_DAYS; days++) {
    const day = firstDay + days * DAY_MS;
    const date = new Date(day);
    const isDay = cron.isDay(date.getUTCDate(), date.getUTCDay());
    const tick =
      isDay && cron.months.has(date.getUTCMonth() + 1) ? tickOfDay(cron, day, from - day) : undefined;
    if (tick !== undefined) return tick;
  }
  return undefined;
}

function tickOfDay({ hours, minutes }: Cron, day: number, earliest: number): number | undefined {
  for (let minute = Math.max(0, Math.ceil(earliest / MINUTE_MS)); minute < 24 * 60; minute++) {
    if (hours.has(Math.floor(minute / 60)) && minutes.has(minute % 60)) return day + minute * MINUTE_MS;
  }
  return undefined;
}

/** Parses a field, a list of ranges, to its numbers. */
function readField(text: string, least: number, most: number): Set<number> | undefined {
  const numbers = new Set<number>();
  for (const part of text.split(",")) {
    const range = readPart(part, least, most);
    if (range === undefined || range.from < least || range.to > most || range.from > range.to)
      return undefined;
    for (let number = range.from; number <= range.to; number += range.by) numbers.add(number);
  }
  return numbers;
}

/** Parses `*`, `n` or `a-b` with an optional `/step`; a step makes `n` the start of a range. */
function readPart(text: string, least: number, most: number) {
  const match = /^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(text);
  if (match === null) return undefined;
  const [, first, last, step] = match;
  const isOne = first !== undefined && step === undefined;
  const from = Number(first ?? least);
  const by = Number(step ?? 1);
  return by < 1 ? undefined : { from, to: Number(last ?? (isOne ? from : most)), by };
}
