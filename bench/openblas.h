// The one function that the benchmarks call in OpenBLAS, declared here so that any package that holds the library will do.
#pragma once

#ifdef TLM_HAS_OPENBLAS
extern "C" {
void openblas_set_num_threads(int threads);
// c[m,n] = alpha · op(a)[m,k] · op(b)[k,n] + beta · c; order 101: row-major; transpose 111: no, 112: yes.
void cblas_sgemm(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const float* a, int lda,
                 const float* b, int ldb, float beta, float* c, int ldc);
}
#endif
