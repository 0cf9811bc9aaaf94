"""libilt.so exports what ilt.h declares and abi/symbols.txt lists; each declaration has its "Thread:" line."""

import re
import subprocess
import sys

nm, library, header_path, list_path = sys.argv[1:]

with open(header_path, encoding="utf-8") as file:
    header = file.read()
declared = set(re.findall(r"ILT_API[^;]*?\b(ilt_\w+)\(", header))

table = subprocess.run([nm, "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
exported = {line.split()[-1].split("@")[0] for line in table.splitlines() if line.split()[-2] != "A"}

undocumented = [
    name
    for comment, name in re.findall(r"/\*((?:(?!\*/).)*)\*/\s*ILT_API[^;]*?\b(ilt_\w+)\(", header, re.S)
    if "Thread:" not in comment
]
commented = {name for _, name in re.findall(r"/\*((?:(?!\*/).)*)\*/\s*ILT_API[^;]*?\b(ilt_\w+)\(", header, re.S)}

faults = []
if exported - declared:
    faults.append(f"exported but not in ilt.h: {sorted(exported - declared)}")
if declared - exported:
    faults.append(f"in ilt.h but not exported: {sorted(declared - exported)}")
with open(list_path, encoding="utf-8") as file:
    listed = {line for line in file.read().split("\n") if line and not line.startswith("#")}
if listed != declared:
    faults.append(f"in ilt.h or abi/symbols.txt alone: {sorted(listed ^ declared)}")
if undocumented or declared - commented:
    faults.append(f"without a comment with a 'Thread:' line: {sorted(set(undocumented) | (declared - commented))}")
sys.exit("\n".join(faults) or 0)
