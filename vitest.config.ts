import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    pool: 'forks',
    // Every file in one fork of two: a fork of its own for each costs ten times as much.
    isolate: false,
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // No test asks the keychain of whoever runs it; those about keychains bring their own.
    env: { WIREPROOF_KEYCHAIN: 'off' },
    reporters: ['default', './scripts/counts-reporter.mjs'],
  },
});
