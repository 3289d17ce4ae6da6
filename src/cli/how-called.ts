/** How to call this wireproof again, as its user did: installed, through npx, or from a checkout. */
export function howCalled(env: NodeJS.ProcessEnv): string {
  if (env['npm_lifecycle_event'] === 'start') return 'node dist/wireproof.cjs';
  return env['npm_command'] === 'exec' ? 'npx wireproof' : 'wireproof';
}
