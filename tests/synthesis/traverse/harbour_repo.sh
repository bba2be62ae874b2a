#!/bin/sh
# A repository with a history, a change that is not staged and a file that nobody knows, and then the server: FOLDER COMMAND…
set -e
repo="$1/repo"
git init -q -b main "$repo"
cd "$repo"
git config user.name Lin
git config user.email lin@mail.example
echo "The harbour opens at nine." > notes.txt
git add notes.txt
git commit -q -m "Harbour plan"
echo "Omar keeps the spare key." >> notes.txt
git commit -q -a -m "Field notes"
echo "Ask about the lanterns." >> notes.txt
echo "Winter menu" > plan.txt
shift
exec "$@"
