# Checks shell scripts without running them: see lint.py for what is printed.
found=0 checked=0
for file in "$@"; do
  [[ $file == *.@(sh|bash) && -f $file ]] || continue
  checked=1
  before=$found
  text=$(LC_ALL=C bash -n -- "$file" 2>&1)
  status=$?
  while IFS= read -r line; do
    if [[ $line == "$file: line "* ]]; then
      rest=${line#"$file: line "}
      [[ ${rest#*: } == '`'* ]] && continue # the line itself, again
      echo "$file:${rest%%:*}:1: ${rest#*: }"
      found=1
    fi
  done <<<"$text"
  if ((status && found == before)); then
    echo "$file:1:1: it does not parse"
    found=1
  fi
  if ((!status)) && command -v shellcheck >/dev/null; then
    if text=$(shellcheck --norc -f gcc -- "$file"); then :; elif [[ -n $text ]]; then
      echo "$text"
      found=1
    fi
  fi
done
if ((!checked)); then
  echo "no shell script is among the files to check" >&2
  exit 3
fi
exit $found
