/** Maintenance windows: hours of the week, in UTC. */

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;
const DAY_MS = 86_400_000;

/** A weekly window. */
export interface Window {
  readonly days: readonly (typeof DAYS)[number][];
  /** `HH:MM`. */
  readonly from: string;
  /** Duration in hours; it may end on the next day. */
  readonly hours: number;
}

/** True while a window is open, and always without windows. */
export function isOpenWindow(windows: readonly Window[], now: number): boolean {
  return windows.length === 0 || windows.some((window) => isWithin(window, now));
}

function isWithin({ days, from, hours }: Window, now: number): boolean {
  const midnight = Math.floor(now / DAY_MS) * DAY_MS;
  return [midnight - DAY_MS, midnight].some((day) => {
    const [hour = 0, minute = 0] = from.split(":").map(Number);
    const began = day + (hour * 60 + minute) * 60_000;
    const name = DAYS[new Date(day).getUTCDay()];
    return name !== undefined && days.includes(name) && began <= now && now < began + hours * 3_600_000;
  });
}
