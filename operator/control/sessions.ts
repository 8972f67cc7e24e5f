/**
 * TLS sessions of the gateways that were asked, so that the next connection to one needs no new proof of who it is.
 * Node.js cuts a session of 1 kB from a block of 64 kB, which stays for as long as the session does: each is held as text.
 */
import type { Agent } from "node:https";

/** Of a kB or two each. */
const MOST = 4_096;

/** The newest session of each name. */
export class Sessions {
  /** A character a byte. */
  readonly #kept = new Map<string, string>();
  readonly #most: number;

  constructor(most = MOST) {
    this.#most = most;
  }

  /** Keeps a copy; the oldest goes when there are too many. */
  keep(name: string, session: Buffer): void {
    this.#kept.delete(name);
    const [oldest] = this.#kept.size >= this.#most ? this.#kept.keys() : [];
    if (oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(name, session.toString("latin1"));
  }

  get(name: string): Buffer | undefined {
    const session = this.#kept.get(name);
    return session === undefined ? undefined : Buffer.from(session, "latin1");
  }

  drop(name: string): void {
    this.#kept.delete(name);
  }
}

/**
 * Lets an agent, which is to keep none itself, resume sessions. They go by the name in the certificate, which is not
 * looked at again when a session is resumed, and never by the address. A gateway gives a new one with a full handshake;
 * one that fails is not tried again.
 */
export function resumeSessions(agent: Agent, sessions = new Sessions()): void {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const name = options.servername ?? "";
    const resuming = { ...options, session: sessions.get(name) };
    const socket = connect(resuming, callback);
    socket?.on("session", (fresh: Buffer) => sessions.keep(name, fresh));
    socket?.once("error", () => sessions.drop(name));
    return socket;
  };
}
