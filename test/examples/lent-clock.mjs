// Loaded into a client before its own code: its 10 seconds are over as soon as the file TIME_IS_UP
// exists, and never by themselves.
import { existsSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

timers.setTimeout = (milliseconds) =>
  new Promise((resolve) => {
    if (milliseconds !== 10_000) throw new Error(`10 seconds, not ${milliseconds} ms`);
    const look = () => {
      if (!existsSync(process.env.TIME_IS_UP)) return;
      clearInterval(timer);
      resolve();
    };
    const timer = setInterval(look, 10).unref();
  });
syncBuiltinESMExports();
