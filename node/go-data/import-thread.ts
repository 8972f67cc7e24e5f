/** A thread of `import-workers.ts`: does one task after the other until null comes. */
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { type ImportTask, type ImportWorkData, importFault, openImportWork } from "./import-work.ts";
import type { ImportNews } from "./import-workers.ts";

async function serve(port: MessagePort): Promise<void> {
  await using work = await openImportWork(workerData as ImportWorkData); // what import-workers.ts gives
  const tell = (news: ImportNews): void => port.postMessage(news);
  const perform = async (task: ImportTask): Promise<void> => {
    try {
      await work.perform(task, tell);
      tell({ kind: "done" });
    } catch (error) {
      tell({ kind: "failed", fault: importFault(error) });
    }
  };
  const ended = Promise.withResolvers<void>();
  let performed = Promise.resolve();
  port.on("message", (task: ImportTask | null) => {
    if (task === null) ended.resolve();
    else performed = perform(task);
  });
  tell({ kind: "done" });
  await ended.promise;
  await performed;
}

if (parentPort !== null) {
  const port = parentPort;
  await serve(port).catch((error: unknown) =>
    port.postMessage({ kind: "failed", fault: importFault(error) } satisfies ImportNews),
  );
  port.close();
}
