import type { Socket } from "node:net";
import { BASE, encodeDisconnect } from "./base-messages.ts";
import { type DisconnectReason, reasonCode } from "./reasons.ts";
import type { Transport } from "./transport.ts";

/** How a connection is left: what is said, in which form, and how long the peer has to hear it. */
export interface Goodbye {
  readonly reason: DisconnectReason | undefined;
  /** `bare` until hello was exchanged, `list` afterwards. */
  readonly form: "bare" | "list";
  readonly timeoutMs: number;
}

/** Says why, unless there is no reason to tell, then closes; the socket is gone after the timeout at the latest. */
export function sayGoodbye(transport: Transport, { reason, form, timeoutMs }: Goodbye): void {
  const { socket } = transport;
  if (reason === undefined || reason === "network-error" || !socket.writable) {
    socket.destroy();
    return;
  }
  transport.write({ code: BASE.disconnect, payload: encodeDisconnect({ code: reasonCode(reason), form }) });
  closeSoon(socket, timeoutMs);
}

/** Ends our side and reads on without looking, since a close over unread bytes would reset the connection. */
function closeSoon(socket: Socket, timeoutMs: number): void {
  const timer = setTimeout(() => socket.destroy(), timeoutMs);
  socket.once("close", () => clearTimeout(timer));
  socket.removeAllListeners("readable");
  socket.end();
  socket.resume();
}
