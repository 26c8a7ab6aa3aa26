"""A certificate's lines, read one by one, and what ends the reading of a bad one."""
import hashlib
import re
from fractions import Fraction

MOST_BYTES = 64 << 20
MOST_CHARACTERS = 2000                         # of a number
INTEGER = re.compile(r"0|-?[1-9][0-9]*")
RATIONAL = re.compile(r"(0|-?[1-9][0-9]*)(?:/([1-9][0-9]*))?")
SCALED = re.compile(r"0x0|-?0x[1-9a-f][0-9a-f]*")
END = re.compile(rb"end [0-9a-f]{64}")


class Invalid(Exception):
    """The certificate fails: line and code as in docs/certificates.md."""

    def __init__(self, line, code):
        super().__init__(f"{line} {code}")
        self.line, self.code = line, code


class Records:
    """The text of a file. `line` is the number of the line read last."""

    def __init__(self, path):
        try:
            with open(path, "rb") as file:
                self.text = file.read(MOST_BYTES + 1)
        except OSError:
            raise Invalid(0, "unreadable") from None
        if len(self.text) > MOST_BYTES:
            raise Invalid(0, "unreadable")
        self.line, self.position = 0, 0
        self.last = self.text.count(b"\n") + (not self.text.endswith(b"\n"))
        self.head = [b"", *self.text.split(b"\n", 6)[:-1]]     # lines 1 to 6, as many as a newline ends

    def check_frame(self):
        """Orders 2 to 5 of the specification; returns the hash."""
        if self.text.split(b"\n", 1)[0] != b"kvproof-cert 1":
            raise Invalid(1, "not_a_certificate")
        body = self.text.rfind(b"\n", 0, -1) + 1
        if not self.text.endswith(b"\n") or not END.fullmatch(end := self.text[body:-1]):
            raise Invalid(self.last, "truncated")
        if end[4:].decode() != hashlib.sha256(self.text[:body]).hexdigest():
            raise Invalid(self.last, "bad_hash")
        bad = re.search(rb"[^\x20-\x7e\n]", self.text)
        worst = self.text.count(b"\n", 0, bad.start()) + 1 if bad else None
        for number, word in enumerate((b"claim ", b"rule ", b"scope ", b"statement ", b"verdict "), 2):
            if number == worst or number >= len(self.head) or not self.head[number].startswith(word):
                raise Invalid(number, "bad_record")
        if bad:
            raise Invalid(worst, "bad_record")
        return end[4:].decode()

    def header(self, number):
        """What follows the first word of header line `number`."""
        return self.head[number].decode().split(" ", 1)[1]

    def claim(self):
        """The id that the claim line states, or -."""
        found = re.fullmatch(rb"claim ([\x21-\x7e]+)", b"".join(self.head[2:3]))
        return found.group(1).decode() if found else "-"

    def skip(self, lines):
        for _ in range(lines):
            self.advance()

    def advance(self):
        end = self.text.find(b"\n", self.position)
        line, self.position = self.text[self.position:end], end + 1
        self.line += 1
        return line

    def next_is(self, word):
        return self.text.startswith(word, self.position)

    def record(self, word, count):
        """The `count` fields of the next line, which is to begin with `word`."""
        line = self.advance()
        if self.line == self.last:
            raise self.malformed()
        fields = line.decode().split(" ", count + 1)
        if fields[0] != word or len(fields) != count + 1:
            raise self.malformed()
        return fields[1:]

    def fields(self, word):
        """The fields, one or more, of the next line, which is to begin with `word`."""
        line = self.advance()
        if self.line == self.last:
            raise self.malformed()
        fields = line.decode().split(" ")
        if fields[0] != word or len(fields) < 2:
            raise self.malformed()
        return fields[1:]

    def finish(self):
        self.advance()
        if self.line != self.last:
            raise self.malformed()

    def malformed(self):
        return Invalid(self.line, "bad_record")

    def bad_witness(self):
        """What was read is well formed, but does not prove what it is there for."""
        return Invalid(self.line, "bad_witness")

    def number(self, field, pattern):
        found = pattern.fullmatch(field) if len(field) <= MOST_CHARACTERS else None
        if not found:
            raise self.malformed()
        return found

    def integer(self, field):
        return int(self.number(field, INTEGER).group())

    def integers(self, fields):
        if max(map(len, fields)) > MOST_CHARACTERS or not all(map(INTEGER.fullmatch, fields)):
            raise self.malformed()
        return list(map(int, fields))

    def expect(self, field, value):
        """The field is the integer `value`."""
        if self.integer(field) != value:
            raise self.malformed()

    def rational(self, field):
        p, q = self.number(field, RATIONAL).groups()
        value = Fraction(int(p), int(q or 1))
        if q is not None and (q == "1" or value.denominator != int(q)):
            raise self.malformed()
        return value

    def scaled(self, field):
        return int(self.number(field, SCALED).group(), 16)

    def scale(self):
        """The record `scale S`."""
        s = self.integer(self.record("scale", 1)[0])
        if not 0 <= s <= 2048:
            raise self.malformed()
        return s
