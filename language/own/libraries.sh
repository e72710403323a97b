# Prints the commands that are here, one a line.
echo "Bash ${BASH_VERSION%%(*}"
echo "(built in) $(compgen -b | sort | tr '\n' ' ')"
IFS=:
for dir in $PATH; do
  for file in "$dir"/*; do
    [[ -x $file && ! -d $file ]] && echo "${file##*/}"
  done
done | sort -u | head -n 1000
