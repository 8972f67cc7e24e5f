/** Version of the layout of the chain database; a database of another layout is refused. */
export const SCHEMA = "1";
