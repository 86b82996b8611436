#include "tlm/core/cancel.h"

#include "tlm/core/error.h"

namespace tlm {

void CancelToken::check() const {
  if (cancelled()) throw Error(ErrorCode::kInterrupted, "interrupted");
}

}  // namespace tlm
