/** Connections that keep one request under way each and note how long every answer takes. */
import { Connection } from "./connection.ts";
import { Latencies } from "./latencies.ts";
import { answerReader, checkAnswer, dress, type Wire } from "./wires.ts";

/** Requests of one kind that are sent side by side. */
export interface Group {
  readonly wire: Wire;
  /** `http://host:port`, `ws://host:port` or the path of a socket. */
  readonly target: string;
  /** JSON texts, sent in turn. */
  readonly bodies: readonly string[];
  readonly connections: number;
  /** Each body is sent once, and the group is done then. */
  readonly once?: boolean;
  /** Milliseconds between an answer and the next request of a connection. */
  readonly restMs?: number;
}

/** Result of a group of requests. */
export interface GroupResult {
  readonly answers: number;
  /** Answers before it was measured, too. */
  readonly all: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

/** A group under way. */
export interface RunningGroup {
  /** Answers of the group since it was opened. */
  readonly answers: number;
  /** Resolves when every body of a `once` group is answered; rejects when a connection breaks. */
  readonly done: Promise<void>;
  /** From now on answers count; drops what was counted before. */
  begin(): void;
  result(): GroupResult;
  close(): void;
}

/** Connects and starts sending. Rejects when a connection cannot be made, or its first answer is an error. */
export async function openGroup(group: Group): Promise<RunningGroup> {
  const requests = group.bodies.map((body) => dress(group.wire, group.target, body));
  const connections = Array.from({ length: group.connections }, () => open(group, requests));
  return new Lanes(group, requests, await Promise.all(connections));
}

class Lanes implements RunningGroup {
  readonly done: Promise<void>;
  answers = 0;
  readonly #group: Group;
  readonly #requests: readonly Buffer[];
  readonly #connections: readonly Connection[];
  #latencies = new Latencies();
  #next = 0;
  #left: number;
  #isClosed = false;
  #settle: { readonly resolve: () => void; readonly reject: (error: Error) => void };

  constructor(group: Group, requests: readonly Buffer[], connections: readonly Connection[]) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.done = promise;
    this.#settle = { resolve, reject };
    this.#group = group;
    this.#requests = requests;
    this.#left = group.once === true ? this.#requests.length : Number.POSITIVE_INFINITY;
    this.#connections = connections;
    for (const connection of connections) this.#run(connection);
  }

  begin(): void {
    this.#latencies = new Latencies();
  }

  result(): GroupResult {
    const of = this.#latencies;
    return {
      answers: of.total,
      all: this.answers,
      p50: of.quantile(0.5),
      p99: of.quantile(0.99),
      longest: of.quantile(1),
    };
  }

  close(): void {
    this.#isClosed = true;
    for (const { socket } of this.#connections) socket.destroy();
  }

  #run(connection: Connection): void {
    const { socket } = connection;
    const reader = answerReader(this.#group.wire);
    const { restMs = 0 } = this.#group;
    let sentAt = 0;
    const send = (): void => {
      const request = this.#take();
      if (request === undefined || this.#isClosed) return;
      sentAt = performance.now();
      socket.write(request);
    };
    connection.onChunk = (bytes, length) => {
      try {
        if (!reader.push(bytes, length)) return;
      } catch (error) {
        this.#settle.reject(error as Error); // a status that is not 200
        socket.destroy();
        return;
      }
      this.#answered(performance.now() - sentAt);
      if (restMs > 0) setTimeout(send, restMs);
      else send();
    };
    socket.once("close", () => {
      if (!this.#isClosed) this.#settle.reject(new Error(`${this.#group.target} closed a connection`));
    });
    send();
  }

  #answered(ms: number): void {
    this.#latencies.add(ms);
    this.answers++;
    if (--this.#left === 0) this.#settle.resolve();
  }

  #take(): Buffer | undefined {
    const at = this.#next++;
    return this.#requests[this.#group.once === true ? at : at % this.#requests.length];
  }
}

/** A connection whose first answer was looked at; what is sent once is not sent for that. */
async function open({ wire, target, once = false }: Group, requests: readonly Buffer[]): Promise<Connection> {
  const connection = new Connection(wire, target);
  await connection.open(wire, target);
  const [first] = requests;
  if (once || first === undefined) return connection;
  const reader = answerReader(wire);
  checkAnswer(wire, await connection.ask(first, (bytes, length) => reader.push(bytes, length)));
  return connection;
}
