/** What can be told to wait. */
interface Source {
  pause(): void;
  resume(): void;
}

/** Lets a source flow while nothing stands in its way. */
export class Gate {
  private readonly source: Source;
  private inTheWay = 0;

  constructor(source: Source) {
    this.source = source;
  }

  /** @param whenOver calls back when what stands in the way is gone */
  closeUntil(whenOver: (go: () => void) => void): void {
    this.inTheWay++;
    this.source.pause();
    whenOver(() => {
      if (--this.inTheWay === 0) this.source.resume();
    });
  }
}
