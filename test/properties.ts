import { configureGlobal } from 'fast-check';

// The same cases each time; FC_SEED=… looks at others. A failure prints its seed.
configureGlobal({ seed: Number(process.env['FC_SEED'] ?? 20_261_130) });

export { default as fc } from 'fast-check';
