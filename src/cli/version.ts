import manifest from '../../package.json' with { type: 'json' };

export const version: string = manifest.version;
/** How wireproof names itself in a trace. */
export const by = `wireproof ${version}`;
