# SPDX-License-Identifier: GPL-2.0-only
# See judge() in ../lint. First file: what is accepted, second: what was found. Variables: check,
# and partial, when not all of the tree was looked at.

FNR == 1 {
	files++
}

files == 1 {
	if ($1 == check) {
		type[++n] = $2
		place[n] = $3
		$1 = $2 = $3 = ""
		sub(/^ +/, "")
		text[n] = $0
	}
	next
}

# Anything else than a finding is a checker in trouble, and to be seen.
!match($0, /^[^: ]+:[0-9]+: [^: ]+: /) {
	print
	next
}

{
	split($0, part, ":")
	kind = part[3]
	sub(/^ /, "", kind)
	for (i = 1; i <= n; i++) {
		whole = place[i] ~ /\/$/ ? substr(part[1], 1, length(place[i])) : part[1]
		if (kind == type[i] && (place[i] == "*" || whole == place[i]) && \
		    index($0, text[i])) {
			used[i]++
			next
		}
	}
	print
}

END {
	for (i = 1; i <= n && !partial; i++)
		if (!used[i])
			print "accepted for nothing:", type[i], place[i], text[i]
}
