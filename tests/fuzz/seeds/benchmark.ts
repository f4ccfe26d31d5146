timestamps:
- core: 0
  counter: 64
  address: 0x0
  component: libteec
- core: 0
  counter: 128
  address: 0x1
  component: kmodule
- core: 0
  counter: 192
  address: 0x2
  component: core
- core: 0
  counter: 256
  address: 0x3
  component: core
- core: 1
  counter: 320
  address: 0x4
  component: kmodule
- core: 1
  counter: 384
  address: 0x5
  component: libteec
- core: 1
  counter: 448
  address: 0x6
  component: libteec
- core: 1
  counter: 512
  address: 0x7
  component: -
...
