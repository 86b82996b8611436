// The multiply-add peak of this machine, measured: what the speed of kernels is compared with.
#pragma once

namespace tlm::kernels {

// GFLOP/s (a multiply-add counts as two) of `threads` threads running independent chains of the widest vector multiply-adds that
// the CPU has, best of `rounds` rounds of about `milliseconds` each.
double measure_peak_gflops(int threads, int rounds = 3, double milliseconds = 20);

}  // namespace tlm::kernels
