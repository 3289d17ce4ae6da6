/** Fed one thing at a time, it hands back zero or more things. It never waits and touches nothing. */
export interface Machine<Input, Output> {
  feed(input: Input): Output[];
  /** The input is over: hand back whatever is still held. */
  end(): Output[];
}

/** Two machines as one: what the first hands back is fed to the second. */
export function chain<A, B, C>(first: Machine<A, B>, second: Machine<B, C>): Machine<A, C> {
  return {
    feed: (input) => first.feed(input).flatMap((made) => second.feed(made)),
    end: () => [...first.end().flatMap((made) => second.feed(made)), ...second.end()],
  };
}
