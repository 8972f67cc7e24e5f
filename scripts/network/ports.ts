/** Ports that nobody listens on now, below those that the system gives to connections. */
import { once } from "node:events";
import { createServer, type Server } from "node:net";

const FIRST = 12_000;
const END = 32_000;

/** As many ports as asked for, all different. Throws `RangeError` when there are not enough. */
export async function freePorts(count: number): Promise<number[]> {
  const held: Server[] = [];
  const ports: number[] = [];
  const start = FIRST + Math.floor(Math.random() * (END - FIRST));
  try {
    for (let tried = 0; ports.length < count; tried++) {
      if (tried === END - FIRST) throw new RangeError(`no ${count} free ports`);
      const port = FIRST + ((start - FIRST + tried) % (END - FIRST));
      const server = await hold(port);
      if (server === undefined) continue;
      held.push(server);
      ports.push(port);
    }
    return ports;
  } finally {
    await Promise.all(held.map(release));
  }
}

/** A server on all interfaces, as nodes listen for peers; undefined when the port is taken. */
async function hold(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port);
  try {
    await once(server, "listening");
    return server;
  } catch {
    return undefined;
  }
}

async function release(server: Server): Promise<void> {
  server.close();
  await once(server, "close");
}
