/** Where a verb's words go, and how they may look there. */
export interface Terminal {
  /** To stdout. */
  print(text: string): void;
  /** To stderr: what the user must know, each line marked as ours. */
  tell(text: string): void;
  /** Stdout is a terminal that shows colours. */
  readonly hasColour: boolean;
  /** Stdout is a terminal. */
  readonly isTerminal: boolean;
  /** Columns to fill. */
  readonly width: number;
}
