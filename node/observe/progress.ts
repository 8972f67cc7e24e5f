/**
 * Progress of long work for the person who waits: one line redrawn on a terminal, a line every five
 * seconds anywhere else. It draws when progress is reported and never by itself, so it needs no timer.
 */
import type { Clock } from "../runtime/clock.ts";

/** Destination of progress bars. */
export interface ProgressStream {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** Work with a progress bar. `total` may be unknown; `unit` is a plural such as `blocks`. */
export interface ProgressOptions {
  readonly label: string;
  readonly total: number | undefined;
  readonly unit: string;
  /** A second unit, such as `tx`, of which only the rate is shown. */
  readonly alsoUnit?: string;
  readonly stream: ProgressStream;
  readonly clock: Clock;
}

/** Disposing it ends the line with what was done. */
export interface Progress extends Disposable {
  /** `done` units so far; `total` corrects an estimate given earlier; `also` counts what else is counted. */
  update(done: number, total?: number, also?: number): void;
}

const REDRAW_MS = 100;
const LINE_MS = 5_000;
/** Speed is that of this stretch: what was skipped fast at the beginning says nothing of what is left. */
const RECENT_MS = 15_000;

/** An amount at a time. */
interface Mark {
  readonly at: number;
  readonly done: number;
  readonly also: number;
}

/** Starts to show progress; the first line appears with the first update that is due. */
export function openProgress(options: ProgressOptions): Progress {
  const { label, unit, alsoUnit, stream, clock } = options;
  const interval = stream.isTTY ? REDRAW_MS : LINE_MS;
  const start: Mark = { at: clock.now(), done: 0, also: 0 };
  let { total } = options;
  let now = start;
  let recent: readonly Mark[] = [start];
  let drawnAt = start.at;
  let shown = false;
  const draw = (since: Mark) => {
    const elapsedMs = now.at - since.at;
    const also = alsoUnit === undefined ? undefined : { done: now.also - since.also, unit: alsoUnit };
    const line = progressLine({
      label,
      done: now.done,
      total,
      unit,
      speed: { done: now.done - since.done, elapsedMs, also },
    });
    stream.write(stream.isTTY ? `\r${line.slice(0, (stream.columns ?? 80) - 1)}\u001b[K` : `${line}\n`);
    shown = true;
  };
  return {
    update(done, newTotal = total, also = 0) {
      total = newTotal;
      now = { at: clock.now(), done, also };
      if (now.at - drawnAt < interval) return;
      drawnAt = now.at;
      draw(recent[0] ?? start);
      recent = [...recent.filter(({ at }) => at >= now.at - RECENT_MS), now];
    },
    [Symbol.dispose]() {
      if (!shown && now.done === 0) return;
      now = { ...now, at: clock.now() };
      draw(start);
      if (stream.isTTY) stream.write("\n");
    },
  };
}

/** Progress at a time. */
export interface ProgressState {
  readonly label: string;
  readonly done: number;
  readonly total: number | undefined;
  readonly unit: string;
  /** Amounts done in a stretch of time. */
  readonly speed: {
    readonly done: number;
    readonly elapsedMs: number;
    readonly also?: { readonly done: number; readonly unit: string } | undefined;
  };
}

/** `import [#####---------------]  25% 775/3,100 blocks, 310 blocks/s, 8s left`. */
export function progressLine({ label, done, total, unit, speed }: ProgressState): string {
  const perSecond = (count: number): number => (speed.elapsedMs > 0 ? (count * 1000) / speed.elapsedMs : 0);
  const rate = perSecond(speed.done);
  const alsoRate = speed.also && perSecond(speed.also.done);
  const also = alsoRate ? `, ${formatCount(alsoRate)} ${speed.also?.unit}/s` : "";
  const rates = `${rate > 0 ? `, ${formatCount(rate)} ${unit}/s` : ""}${also}`;
  if (total === undefined || total <= 0) return `${label} ${formatCount(done)} ${unit}${rates}`;
  const part = Math.min(done / total, 1);
  const filled = Math.floor(part * BAR_WIDTH);
  const bar = `[${"#".repeat(filled)}${"-".repeat(BAR_WIDTH - filled)}]`;
  const percent = `${Math.floor(part * 100)}%`.padStart(4);
  const left = rate > 0 && done < total ? `, ${duration((total - done) / rate)} left` : "";
  return `${label} ${bar} ${percent} ${formatCount(done)}/${formatCount(total)} ${unit}${rates}${left}`;
}

const BAR_WIDTH = 20;

function formatCount(value: number): string {
  const digits = String(value < 10 ? Math.round(value * 10) / 10 : Math.round(value));
  return digits.replace(/\B(?=(\d{3})+$)/g, ",");
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole}s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}m ${whole % 60}s`;
  return `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}
