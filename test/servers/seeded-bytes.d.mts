export function seededBytes(seed: number, length: number): Uint8Array;
