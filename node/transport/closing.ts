/** The end of connections whose peers may not read: every closing socket is destroyed soon. */
import type { Duplex } from "node:stream";

/** Time for a peer to read the last text, to answer a close frame, or to close a refused connection. */
export const CLOSE_MS = 2_000;

/** Destroys a closing socket once its peer has had time to read the last text. */
export function destroyInTime(socket: Duplex): void {
  const deadline = setTimeout(() => socket.destroy(), CLOSE_MS);
  socket.once("close", () => clearTimeout(deadline));
}
