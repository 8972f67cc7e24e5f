/** The attacker's own process: `attacker.ts NAME TARGET`; it attacks until its parent says stop, then reports. */
import type { AttackTarget } from "./attack.ts";
import { loadAttack } from "./attack.ts";

const [name = "", target = "{}"] = process.argv.slice(2);
const { run } = await loadAttack(name);
const over = new AbortController();
process.once("message", () => over.abort());
process.once("disconnect", () => process.exit());
const figures = await run(JSON.parse(target) as AttackTarget, over.signal);
process.send?.(figures, () => process.exit());
