import { relative } from 'node:path';

/**
 * How to call this wireproof again, as its user did: installed, through npx, or from a checkout. What npm installs is
 * started by a link, or on Windows by a file that names the program inside `node_modules`.
 */
export function howCalled({ env, argv, cwd } = { env: process.env, argv: process.argv, cwd: process.cwd() }): string {
  const [, program = ''] = argv;
  if (program.endsWith('wireproof.cjs') && !/[\\/]node_modules[\\/]/.test(program)) return `node ${word(program, cwd)}`;
  return env['npm_command'] === 'exec' ? 'npx wireproof' : 'wireproof';
}

function word(program: string, cwd: string): string {
  const near = relative(cwd, program);
  const path = near.length < program.length ? near : program;
  return path.includes(' ') ? JSON.stringify(path) : path;
}
