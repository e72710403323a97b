#!/bin/bash
set -euo pipefail
trap 'echo cleaned' EXIT
[ "$(bash solution.sh 1 2)" = 3 ]
[ "$(./main.sh 20 22)" = 42 ]
