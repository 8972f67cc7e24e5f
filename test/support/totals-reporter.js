/**
 * Prints `tests: N passed, N failed, N skipped` as the last line of a run.
 * A suite that fails to load counts as one failure: it holds tests that nobody saw run.
 */
export default class TotalsReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    process.stdout.write(`tests: ${results.numPassedTests} passed, ${failed} failed, ${skipped} skipped\n`);
  }
}
