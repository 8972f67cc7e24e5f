/** Builds the program that tests and vectors start as a process, if a source has changed since. */
export function build(): void;
