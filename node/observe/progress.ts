/**
 * Progress of long work for the person who waits: one line redrawn on a terminal, a line every five
 * seconds anywhere else. It draws when it is told of progress and never by itself, so it needs no timer.
 */
import type { Clock } from "./clock.ts";

/** Where progress is drawn. */
export interface ProgressStream {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** What is waited for. `total` may be unknown; `unit` is a plural such as `blocks`. */
export interface ProgressOptions {
  readonly label: string;
  readonly total: number | undefined;
  readonly unit: string;
  readonly stream: ProgressStream;
  readonly clock: Clock;
}

/** Disposing it ends the line with what was done. */
export interface Progress extends Disposable {
  /** `done` units so far; `total` corrects an estimate given earlier. */
  update(done: number, total?: number): void;
}

const REDRAW_MS = 100;
const LINE_MS = 5_000;

/** Starts to show progress; the first line appears with the first update that is due. */
export function openProgress({ label, total, unit, stream, clock }: ProgressOptions): Progress {
  const startedAt = clock.now();
  const interval = stream.isTTY ? REDRAW_MS : LINE_MS;
  let drawnAt = startedAt;
  let state = { label, done: 0, total, unit };
  let shown = false;
  const draw = () => {
    const line = progressLine({ ...state, elapsedMs: clock.now() - startedAt });
    stream.write(stream.isTTY ? `\r${line.slice(0, (stream.columns ?? 80) - 1)}\u001b[K` : `${line}\n`);
    shown = true;
  };
  return {
    update(done, newTotal = state.total) {
      state = { ...state, done, total: newTotal };
      if (clock.now() - drawnAt < interval) return;
      drawnAt = clock.now();
      draw();
    },
    [Symbol.dispose]() {
      if (!shown && state.done === 0) return;
      draw();
      if (stream.isTTY) stream.write("\n");
    },
  };
}

/** How far work is at a moment. */
export interface ProgressState {
  readonly label: string;
  readonly done: number;
  readonly total: number | undefined;
  readonly unit: string;
  readonly elapsedMs: number;
}

/** `import [#####---------------]  25% 775/3,100 blocks, 310 blocks/s, 8s left`. */
export function progressLine({ label, done, total, unit, elapsedMs }: ProgressState): string {
  const rate = elapsedMs > 0 ? (done * 1000) / elapsedMs : 0;
  const speed = rate > 0 ? `, ${grouped(rate)} ${unit}/s` : "";
  if (total === undefined || total <= 0) return `${label} ${grouped(done)} ${unit}${speed}`;
  const part = Math.min(done / total, 1);
  const filled = Math.floor(part * BAR_WIDTH);
  const bar = `[${"#".repeat(filled)}${"-".repeat(BAR_WIDTH - filled)}]`;
  const percent = `${Math.floor(part * 100)}%`.padStart(4);
  const left = rate > 0 && done < total ? `, ${duration((total - done) / rate)} left` : "";
  return `${label} ${bar} ${percent} ${grouped(done)}/${grouped(total)} ${unit}${speed}${left}`;
}

const BAR_WIDTH = 20;

function grouped(value: number): string {
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
