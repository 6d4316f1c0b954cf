"""The command `certify` of jacquardctl: experiments that answer what is not known about real tags.

`questions` lists what is asked, `experiments` has the code that decides it, and `command` is the command line. The path
of one answer:

  command     reads the options, and lets `undo` restore the changes that an interrupted run has left
  run         selects the questions whose stage the person wants, and starts their experiments one after the other
  experiments observe the tag through `world`: with the library, or by hand over D-Bus (`link`); `trace` has every value
  answer      the value, its evidence (packets with times), or the reason for which there is none
  report      all answers in one object, with the versions
  privacy     replaces personal data; `leaks` searches for it again, independently, and refuses to write the file

Before an experiment changes something, `undo` writes to disk how to restore it.
"""
