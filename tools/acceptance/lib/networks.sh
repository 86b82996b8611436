# The shared models with reference outputs: $TLM_SHARED_DATA or ../shared/data. Sourced by the parts.
data=${TLM_SHARED_DATA:-../shared/data}
if [ ! -d "$data/models" ]; then
  echo "no models in $data: set TLM_SHARED_DATA"
  exit 77
fi

networks() { for d in "$data"/models/*/; do basename "$d"; done; }

# check_network NAME compile-options…: compiles NAME and compares the package's outputs with the reference.
check_network() {
  local name=$1
  shift
  "$TLM" compile "$data/models/$name/model.onnx" -o "$WORK/$name.tlm" "$@" 2>"$WORK/log" || { cat "$WORK/log"; return 1; }
  echo "$name $*: $("$TLM" verify "$WORK/$name.tlm" --data "$data/models/$name/test_data_set_0" --rtol 1e-3 --atol 1e-4)" || return 1
  rm -f "$WORK/$name.tlm"
}
