// Says how many tests passed and failed, alone on the last line, for whoever reads the end of a log.
export default class CountsReporter {
  onTestRunEnd(modules, errors) {
    const counts = { passed: 0, failed: errors.length, skipped: 0 };
    for (const module of modules) {
      const before = counts.failed;
      for (const test of module.children.allTests())
        counts[test.result().state] = (counts[test.result().state] ?? 0) + 1;
      if (module.state() === 'failed' && counts.failed === before) counts.failed++;
    }
    const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
    process.on('exit', () => process.stdout.write(`${counts.passed} passed, ${counts.failed} failed${skipped}\n`));
  }
}
