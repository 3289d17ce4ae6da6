/** What searches may still cost together, in letters looked at; those count more for a large expression. */
export interface Effort {
  left: number;
}

/** An expression of the user's, which takes time in proportion to the text and no more. */
export interface ValuePattern {
  /** Whether it matches anywhere; cheap. */
  isIn(text: string): boolean;
  /** From where to where it matches. When the effort is used up, the last one is the whole rest. */
  spans(text: string, effort: Effort): { from: number; to: number }[];
}

/** Where something is to be replaced in a document: names lead from the outside in. */
export interface PathTree {
  isHit: boolean;
  readonly branches: Map<string | number, PathTree>;
}

export interface PathQuery {
  /** Adds the places it finds. False where looking for them would take too long: then they can be anywhere. */
  mark(document: unknown, tree: PathTree): boolean;
  /** Whether it can lead to the member of that name at the top, or into it; of a document that is not known whole. */
  mayLeadInto(name: string | number): boolean;
  /** Whether what it leads to can have that name; nothing is the name of the whole. */
  mayEndAt(name: string | number | undefined): boolean;
  /** How often it goes all the way down. */
  readonly descents: number;
}

/** Rules made ready to be used. */
export interface CompiledRules {
  /** Credentials, tokens, cookies and session ids on HTTP, and the secrets of OAuth. */
  readonly secrets: boolean;
  /** In lower case. */
  readonly keys: ReadonlySet<string>;
  readonly values: readonly ValuePattern[];
  readonly paths: readonly PathQuery[];
}

/** What is replaced when nobody asked for anything. It needs none of the packages that the user's own rules need. */
export const secretsOnly: CompiledRules = { secrets: true, keys: new Set(), values: [], paths: [] };
