export function percentiles(times) {
  const sorted = Float64Array.from(times).sort();
  return { p50: sorted[sorted.length >> 1], p99: sorted[Math.floor(sorted.length * 0.99)] };
}
