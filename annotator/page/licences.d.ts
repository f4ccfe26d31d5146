// SPDX-License-Identifier: Apache-2.0
// The licences of what is bundled with the page, one after the other: CMakeLists.txt puts them together.
declare module "licences" {
  const text: string;
  export default text;
}
