/** The metrics of another operator that a Prometheus scrapes too, which has the usual names of controllers. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A label value that is in all of its series. */
export const NEIGHBOUR = "neighbour";

/** The other operator: its job for Prometheus. Disposing it ends it. */
export interface Neighbour extends AsyncDisposable {
  readonly job: object;
}

/** Starts it: its queue is full, and its reconciliations fail with each scrape. */
export async function startNeighbour(): Promise<Neighbour> {
  let failures = 0;
  const server = createServer((_, response) => {
    failures += 10;
    response.setHeader("content-type", "text/plain; version=0.0.4").end(textOf(failures));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // listening on TCP
  const labels = { namespace: "elsewhere", pod: NEIGHBOUR, container: "manager" };
  const static_configs = [{ targets: [`127.0.0.1:${port}`], labels }];
  return {
    job: { job_name: NEIGHBOUR, scrape_interval: "1s", scrape_timeout: "1s", static_configs },
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function textOf(failures: number): string {
  return [
    `leader_election_master_status{name="${NEIGHBOUR}"} 1`,
    `workqueue_depth{name="${NEIGHBOUR}"} 1000`,
    `controller_runtime_reconcile_errors_total{controller="node"} ${failures}`,
    `controller_runtime_reconcile_total{controller="node",result="${NEIGHBOUR}"} ${failures}`,
    `controller_runtime_reconcile_time_seconds_bucket{controller="${NEIGHBOUR}",le="+Inf"} ${failures}`,
    `rest_client_requests_total{code="500",method="${NEIGHBOUR}",host="x"} ${failures}`,
    "process_resident_memory_bytes 1",
    "",
  ].join("\n");
}
