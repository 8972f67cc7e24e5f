/** JSON-RPC of the node that served the page: calls over HTTP, new blocks over WebSocket or by asking each second. */

/** A JSON object of the node. */
export type Json = Readonly<Record<string, unknown>>;

/** Calls a method. Rejects with the node's message. */
export async function call<T>(method: string, ...params: unknown[]): Promise<T> {
  const response = await fetch("/", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const answer = (await response.json()) as { result: T; error?: { code: number; message: string } };
  if (answer.error !== undefined) throw new Error(`${answer.error.message} (${answer.error.code})`);
  return answer.result;
}

/** Shortest time between two reports of blocks: a chain may make hundreds a second, and a view needs time to load. */
const REST_MS = 250;

/** Calls `report` after each new block, for blocks in quick succession once; the result ends it. */
export function followBlocks(report: () => void): () => void {
  const port = document.querySelector<HTMLMetaElement>('meta[name="knit-ws"]')?.content ?? "";
  let timer: ReturnType<typeof setInterval> | undefined;
  let rest: ReturnType<typeof setTimeout> | undefined;
  const onBlock = (): void => {
    rest ??= setTimeout(() => {
      rest = undefined;
      report();
    }, REST_MS);
  };
  const poll = (): void => {
    timer ??= setInterval(onBlock, 1_000);
  };
  if (port === "") poll();
  const socket = port === "" ? undefined : new WebSocket(`ws://${location.hostname}:${port}`);
  socket?.addEventListener("open", () =>
    socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}'),
  );
  socket?.addEventListener("message", onBlock);
  socket?.addEventListener("close", poll);
  return () => {
    clearInterval(timer);
    clearTimeout(rest);
    socket?.removeEventListener("close", poll);
    socket?.close();
  };
}

/** Reads a quantity as a decimal text with groups of three digits. */
export function decimal(quantity: unknown): string {
  if (typeof quantity !== "string" && typeof quantity !== "number") return "";
  return BigInt(quantity)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, " ");
}

const PEB = 10n ** 18n;

/** Reads an amount in peb as a text in KAIA. */
export function coins(quantity: unknown): string {
  if (typeof quantity !== "string") return "";
  const peb = BigInt(quantity);
  const rest = (peb % PEB).toString().padStart(18, "0").replace(/0+$/, "");
  return `${decimal((peb / PEB).toString())}${rest === "" ? "" : `.${rest}`} KAIA`;
}

/** Returns a value of the node as text: nothing for an absent one, JSON for an object. */
export function text(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
