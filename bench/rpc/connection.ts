/** A bare socket of the load tool: all read into one buffer, and nothing is made of what comes. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Wire } from "./wires.ts";

/** Takes the first `length` bytes of a buffer that is used again. */
export type OnChunk = (bytes: Buffer, length: number) => void;

const CHUNK = Buffer.allocUnsafeSlow(256 * 1024);

/** See the file's header. */
export class Connection {
  readonly socket: Socket;
  onChunk: OnChunk = () => undefined;

  /** `target` is as in `Group`. */
  constructor(wire: Wire, target: string) {
    const onread = {
      buffer: CHUNK,
      callback: (length: number): boolean => {
        this.onChunk(CHUNK, length);
        return true;
      },
    };
    const { hostname, port } = wire === "ipc" ? { hostname: "", port: "" } : new URL(target);
    const where = wire === "ipc" ? { path: target } : { host: hostname, port: Number(port), noDelay: true };
    this.socket = connect({ ...where, onread });
  }

  /** Resolves when requests may be sent. */
  async open(wire: Wire, target: string): Promise<void> {
    await once(this.socket, "connect");
    if (wire === "ws") await this.#upgrade(new URL(target).host);
  }

  async #upgrade(host: string): Promise<void> {
    const key = randomBytes(16).toString("base64");
    const request =
      `GET / HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`;
    const answer = await this.ask(Buffer.from(request), () => true);
    if (!answer.toString("latin1").startsWith("HTTP/1.1 101"))
      throw new Error(`no upgrade: ${answer.toString()}`);
  }

  /** Sends one request; resolves with the bytes of its answer, which ends where `isWhole` says. */
  ask(request: Buffer, isWhole: (bytes: Buffer, length: number) => boolean): Promise<Buffer> {
    const pieces: Buffer[] = [];
    return new Promise((resolve, reject) => {
      this.socket.once("close", () => reject(new Error("the connection was closed")));
      this.onChunk = (bytes, length) => {
        pieces.push(Buffer.from(bytes.subarray(0, length)));
        try {
          if (isWhole(bytes, length)) resolve(Buffer.concat(pieces));
        } catch (error) {
          reject(error); // a status that is not 200
        }
      };
      this.socket.write(request);
    });
  }
}
