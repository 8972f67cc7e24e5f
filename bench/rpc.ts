/**
 * Measures JSON-RPC throughput. `node bench/rpc.ts http://127.0.0.1:8551` measures one node (`--ws URL`, `--ipc PATH`
 * for the other wires); `node bench/rpc.ts --compare` starts `knit dev` (built) and Anvil, measures them in turns and
 * prints medians and ratios. Anvil is what `ANVIL` names, or `anvil` on the PATH: it is no dependency of this project
 * (`npm install --prefix DIRECTORY @foundry-rs/anvil@1.7.1` brings it). The report is JSON.
 */
import { parseArgs } from "node:util";
import { cases } from "./rpc/cases.ts";
import { compare } from "./rpc/compare.ts";
import { measure } from "./rpc/load.ts";
import { targetsOf } from "./rpc/targets.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    compare: { type: "boolean", default: false },
    only: { type: "string" },
    ws: { type: "string" },
    ipc: { type: "string" },
    seconds: { type: "string", default: "3" },
    runs: { type: "string", default: "3" },
  },
});

const measureMs = Number(values.seconds) * 1000;

if (values.compare) {
  const names = values.only?.split(",") ?? ["knit", "anvil"];
  console.log(JSON.stringify(await compare({ names, runs: Number(values.runs), measureMs }), undefined, 2));
} else {
  const targets = targetsOf({ http: positionals[0], ws: values.ws, ipc: values.ipc });
  const report: Record<string, unknown> = {};
  for (const { name, ...request } of cases) {
    const target = targets[request.wire];
    if (target === undefined) continue;
    report[name] = await measure({ ...request, target, warmupMs: 500, measureMs });
  }
  console.log(JSON.stringify(report, undefined, 2));
}
