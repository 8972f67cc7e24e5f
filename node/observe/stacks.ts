/** Stacks of the process's threads as text, from the runtime's diagnostic report. */

/** Maximum length of the text, as in the Go node. */
const MAX_LENGTH = 1024 * 1024;

interface ThreadReport {
  readonly header?: { readonly threadId?: number | null };
  readonly javascriptStack?: { readonly stack?: readonly string[] };
}

interface ProcessReport extends ThreadReport {
  readonly nativeStack?: readonly { readonly symbol: string }[];
  readonly workers?: readonly ThreadReport[];
}

/** Returns the stacks of the main thread and of its workers. The process is blocked meanwhile. */
export function threadStacks(): string {
  const report = readReport();
  const native = (report.nativeStack ?? []).map(({ symbol }) => `native ${symbol}`);
  const workers = (report.workers ?? []).map((worker) => threadText(worker, "worker", []));
  return [threadText(report, "main", native), ...workers].join("\n").slice(0, MAX_LENGTH);
}

/** Reads the report without host names, which would be looked up. */
function readReport(): ProcessReport {
  const report: NodeJS.ProcessReport & { excludeNetwork?: boolean } = process.report; // Node.js 22 has the member
  const { excludeNetwork: before = false } = report;
  report.excludeNetwork = true;
  try {
    return report.getReport();
  } finally {
    report.excludeNetwork = before;
  }
}

function threadText(
  { header, javascriptStack }: ThreadReport,
  kind: string,
  native: readonly string[],
): string {
  const frames = [...(javascriptStack?.stack ?? []), ...native];
  return [`thread ${header?.threadId ?? 0} [${kind}]:`, ...frames.map((each) => `\t${each}`), ""].join("\n");
}
