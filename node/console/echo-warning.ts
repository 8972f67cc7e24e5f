/** What a person is told before a passphrase is typed into what is no terminal. */
export const ECHO_WARNING = "!! Unsupported terminal, password will be echoed.\n";
