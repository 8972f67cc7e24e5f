/** Schema of `spec.maintenance`. Times are in UTC. */
import {
  flag,
  integer,
  list,
  object,
  oneOf,
  optional,
  text,
  withDefault,
  withMemberDefaults,
  withRules,
} from "./schema.ts";

/** Days of the week, Sunday first as in cron. */
export const weekDays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;

const DAYS_OVER_29 = "(30|31|30,31|31,30|30-31)";
const SHORT_MONTH = "0?(2|4|6|9|11)";

/** Patterns of schedules on days that their months do not have, on any day of the week. */
export const neverDates: readonly string[] = [
  `^[^ ]+ [^ ]+ ${DAYS_OVER_29} 0?2 [*]$`,
  `^[^ ]+ [^ ]+ 31 ${SHORT_MONTH}(,${SHORT_MONTH})* [*]$`,
];

/** Text of a schedule; dates that never come are not refused. */
export function cronText(description: string, maxLength: number) {
  return text(`${description} Five fields of cron in UTC: minute, hour, day of month, month, day of week.`, {
    maxLength,
    pattern: "^[-0-9*,/]+( [-0-9*,/]+){4}$",
    says: "five fields of cron, numbers only, such as 30 3 * * 0",
  });
}

const schedule = (description: string) =>
  withRules(cronText(description, 100), {
    rule: neverDates.map((dates) => `!self.matches(r'${dates}')`).join(" && "),
    message: "must be a schedule with dates that exist: no month has this day",
  });

const maintenanceWindow = object("A weekly window in which maintenance may start.", {
  days: withDefault(
    list(oneOf(weekDays, "A day of the week."), "Days on which the window opens.", {
      maxItems: 7,
      "x-kubernetes-list-type": "set",
    }),
    weekDays,
  ),
  from: text("Opening time, HH:MM in UTC.", {
    maxLength: 5,
    pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$",
    says: "a time of day in UTC, such as 03:30",
  }),
  hours: integer("Duration in hours.", 1, 24),
});

/** `spec.maintenance`. */
export const maintenance = object("Scheduled maintenance, one replica at a time.", {
  stateMigration: withMemberDefaults(
    object("State migration: copies the current state to a new database, without unused entries.", {
      schedule: optional(schedule("Schedule.")),
      diskPercent: optional(
        integer("Also requests a migration when this percentage of the volume is used.", 10, 95),
      ),
    }),
  ),
  trieCache: withMemberDefaults(
    object("Saves the trie cache, so that the node restarts with a warm cache.", {
      schedule: optional(schedule("Schedule.")),
      onShutdown: withDefault(flag("Also saves the cache before the pod terminates."), true),
    }),
  ),
  windows: withDefault(
    list(
      maintenanceWindow,
      "Windows in which maintenance by schedule or disk use may start; at any time when empty.",
      {
        maxItems: 16,
        "x-kubernetes-list-type": "atomic",
      },
    ),
    [],
  ),
});
