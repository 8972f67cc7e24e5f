/**
 * A reporter of Jest: prints `tests: N passed, N failed, N skipped` as the last line of a run, behind Jest's own
 * summary. A suite that fails to load counts as one failure: it holds tests that did not run.
 */
import { writeSync } from "node:fs";

/** The reporter. */
export default class TotalsReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const line = `tests: ${results.numPassedTests} passed, ${failed} failed, ${skipped} skipped\n`;
    process.once("exit", () => writeSync(1, line));
  }
}
