// Leads who has no token to another port of this machine.
import { createServer } from 'node:http';
import { serveProtected } from './protected.mjs';

const trap = createServer((_, response) => {
  process.stderr.write('somebody fell for it\n');
  response.end('{}');
}).listen(0, '127.0.0.1');

serveProtected(
  () => ({}),
  () => `Bearer resource_metadata="http://127.0.0.1:${trap.address().port}/latest/meta-data", scope="a b"`,
);
