/**
 * TLS sessions of gateways, for resumed handshakes. Sessions are stored as text, because Node.js allocates a
 * session of 1 kB from a block of 64 kB, which a buffer would keep alive.
 */
import type { Agent } from "node:https";

/** Maximum number of sessions of 1 to 2 kB. */
const MAX_SESSIONS = 4_096;

/** The newest session by certificate name. */
export class Sessions {
  /** Session bytes, one per character. */
  readonly #kept = new Map<string, string>();
  readonly #most: number;

  constructor(most = MAX_SESSIONS) {
    this.#most = most;
  }

  /** Stores a copy; evicts the oldest session above the limit. */
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
 * Makes an agent resume sessions. They are stored by certificate name, which is not verified again on
 * resumption, and never by address. A gateway sends a new session with a full handshake; a failed session is
 * not retried.
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
