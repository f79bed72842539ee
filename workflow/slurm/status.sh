#!/usr/bin/env bash
# What became of a SLURM job, in Snakemake's words: running, success or failed.
set -uo pipefail

state=$(scontrol -o show job "$1" 2>/dev/null | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p')
if [ -z "$state" ]; then
  # Gone from the controller's memory; the accounts, where there are any, know it longer.
  state=$(sacct -X -n -j "$1" -o State 2>/dev/null | awk '{ print $1; exit }')
fi
case $state in
  COMPLETED) echo success ;;
  PENDING | RUNNING | CONFIGURING | COMPLETING | SUSPENDED | REQUEUED) echo running ;;
  '') echo running ;;
  *) echo failed ;;
esac
