/** How long things may take, in milliseconds; those that meet the Go node are its own. */
export interface P2pTimings {
  /** Connection types and encryption handshake together. */
  readonly handshakeMs: number;
  /** The same, and hello, while other connections wait for their handshakes. */
  readonly crowdedMs: number;
  /** What who dialled waits after both type bytes: the Go node loses bytes that come in one read with its byte. */
  readonly afterTypeByteMs: number;
  /** From ack to the hello of the other node. The Go node gives it 30 s, which keep the place of a handshake. */
  readonly helloMs: number;
  /** Each framed message after hello. */
  readonly readMs: number;
  /** Until what was written is taken by the system. */
  readonly writeMs: number;
  readonly disconnectMs: number;
  readonly pingMs: number;
  readonly dialMs: number;
  /** The wait after the first failure; it doubles with each further one. */
  readonly redialFirstMs: number;
  readonly redialMostMs: number;
  /** Between two searches for nodes to dial. */
  readonly searchMs: number;
  /** A session that lasted this long was a good one: the next failure is a first one. */
  readonly steadyMs: number;
}

/** What a node uses. */
export const TIMINGS: P2pTimings = {
  handshakeMs: 5000,
  crowdedMs: 2000,
  afterTypeByteMs: 10,
  helloMs: 5000,
  readMs: 30_000,
  writeMs: 20_000,
  disconnectMs: 1000,
  pingMs: 15_000,
  dialMs: 15_000,
  redialFirstMs: 1000,
  redialMostMs: 30_000,
  searchMs: 4000,
  steadyMs: 30_000,
};
