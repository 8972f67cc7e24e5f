/** Members, runs and a node that is maintained, for tests of maintenance. */
import type { MaintenanceRun } from "../../operator/api/node-runs.ts";
import {
  type Answer,
  afterProgress,
  afterResume,
  afterSaving,
  afterStart,
  afterStop,
  type MaintenanceStep,
  type MigrationProgress,
  type SavingProgress,
} from "../../operator/plan/maintenance.ts";
import type { MaintainedMember } from "../../operator/plan/preflight.ts";

/** The beginning of time. */
export const NOW = Date.parse("2026-01-01T00:00:00Z");

/** A member that is well. */
export function aMaintained(name: string, more: Partial<MaintainedMember> = {}): MaintainedMember {
  return {
    key: `demo/${name}`,
    name,
    node: name,
    type: "core",
    address: undefined,
    suspended: false,
    ready: true,
    height: 100,
    reportedAt: NOW,
    syncing: false,
    peers: 3,
    peersWanted: 3,
    freeBytes: 2 ** 40,
    claimBytes: 2 ** 41,
    growth: undefined,
    ...more,
  };
}

/** A node that migrates and saves as knit does; some of its answers may be lost on the way. */
export class MigratingNode {
  percent = 0;
  running = false;
  block = 0;
  error: string | undefined;
  /** The migration that ended last, which a node that starts anew still knows. */
  last: { readonly block: number; readonly error: string | undefined } | undefined;
  saving = false;
  /** Of the last saving that ended. */
  savedBytes = 0;
  /** Migrations and saves that were begun. */
  begun = 0;
  stops = 0;
  /** True while its gateway cannot be reached. */
  away = false;

  /** Lets it come on. */
  work(percent: number, height: number): void {
    if (this.saving) this.savedBytes = 1_000;
    this.saving = false;
    if (!this.running) return;
    if (this.block === 0) this.block = height;
    this.percent = Math.min(100, this.percent + percent);
    if (this.percent === 100) this.#end(undefined);
  }

  /** Starts it anew: a migration that ran begins anew, what came of another and of saving is forgotten. */
  restart(): void {
    this.saving = false;
    this.savedBytes = 0;
    this.#beginAnew();
  }

  #end(error: string | undefined): void {
    this.running = false;
    this.error = error;
    this.last = { block: this.block, error };
  }

  #beginAnew(): void {
    this.percent = 0;
    this.block = 0;
    this.error = undefined;
  }

  /** Carries out a step: what is asked, and the run that follows; the run itself while it cannot be asked. */
  carryOut({ do: what, run }: MaintenanceStep, now: number): MaintenanceRun {
    if (what === "wait" || what === "end" || this.away) return run;
    if (what === "look" && run.operation === "save-cache") return afterSaving(run, this.#saving(), now);
    if (what === "look") return afterProgress(run, this.#progress(), now);
    if (what === "stop") return afterStop(run, this.#stop(), now);
    const found =
      what === "resume" && run.operation === "migrate" ? afterResume(run, this.#progress(), now) : undefined;
    return found ?? afterStart(run, this.#begin(run.operation), now);
  }

  #progress(): MigrationProgress {
    const { running, percent, block, error, last } = this;
    const isPast = !running && block === 0 && error === undefined && last !== undefined;
    if (!isPast) return { running, percent, block, error, isPast };
    return { running, percent: last.error === undefined ? 100 : 0, ...last, isPast };
  }

  #saving(): SavingProgress {
    return { running: this.saving, bytes: this.savedBytes, error: undefined };
  }

  #begin(operation: MaintenanceRun["operation"]): Answer {
    if (this.running) return { ok: true }; // what is under way is followed
    this.begun++;
    if (operation === "save-cache") {
      this.saving = true;
    } else {
      this.#beginAnew();
      this.running = true;
    }
    return { ok: true };
  }

  #stop(): Answer {
    if (!this.running) return { ok: false, message: "not in migration (-32000)" };
    this.stops++;
    this.#end("stopped");
    return { ok: true };
  }
}
